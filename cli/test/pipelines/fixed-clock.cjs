// Loaded before the program: the service's clock, which only tests move.
const now_ms = Number(process.env.NOW_MS)
Date.now = () => now_ms
