"""Settings, logging and the composition root of the Lambda functions."""
