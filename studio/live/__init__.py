"""What happens in a session, pushed to its readers: WebSockets and Server-Sent Events."""
