"""The ledger over a key-value table: key grammar, item codecs, publishing and reading. DynamoDB is one such table."""
