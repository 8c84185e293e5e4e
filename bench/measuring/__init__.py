"""The subcommands of bench/measure.py."""
