// Something happened that somebody may be waiting for. It says that, not what: who hears it looks for himself.

export interface ChangeNotifications {
  /** Hears what is told of this topic from now on, by any engine on this database. To be closed. */
  listen(topic: string): Listening
  /** Wakes who listens: here at once, on other engines within a moment. Told after the rows are committed. */
  tell(topic: string): void
}

export interface Listening {
  /** True as soon as something was told since the last time it was; false when the time is up or the signal is given. */
  heard(wait_ms: number, signal?: AbortSignal): Promise<boolean>
  /** Since it began to listen; never goes back. */
  elapsed_ms(): number
  close(): void
}
