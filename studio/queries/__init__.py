"""The only reads for pages: each starts from what the viewer may see."""
