"""The tables and figures of the papers, for bench/papers.py."""
