// How patient tests are with what every replica is told of within a second: a cache would keep it for a minute, a busy machine may need several seconds.
export const noticed = { interval: 10, timeout: 20_000 }
