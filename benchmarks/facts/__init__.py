"""Facts: durable puts beside raw SQLite, puts of many threads, hot reads beside a peer."""
