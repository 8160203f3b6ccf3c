"""Bytes on disk: pictures, atomic files, the ledger file, the run directory."""
