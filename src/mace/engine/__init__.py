"""ENGINE: the order of steps, transactions and time. The only place where rooms meet; the world through ports."""
