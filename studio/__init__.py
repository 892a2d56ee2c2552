"""The studio: tables, pages and protocols around the runtime."""
