"""What every request passes: static files, the token, the cookie's CSRF check, the doors, and how it may be kept."""
