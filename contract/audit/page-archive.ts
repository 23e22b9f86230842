// Pages of the audit log that have left the database, as their readers see them.

export interface ArchivedPage {
  /** Of its bytes, in hex: its name in the archive. */
  readonly sha256: string
  readonly bytes: number
}

export interface PageArchive {
  /** Undefined where the object is missing or has other content. Refuses where the archive does not answer. */
  read(page: ArchivedPage): Promise<Uint8Array | undefined>
}
