"""What a browser, a file or a picture gives: the only room that imports playwright."""
