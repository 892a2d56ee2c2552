"""Django's SQLite backend, except that emptying the tables between tests gets past the append-only triggers."""
