"""The laptop: the `gpucost` command line and an embedded stack to run the whole line on."""
