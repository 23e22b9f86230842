// The logs of this engine's tenants as C2SP tlog-tiles, for their routes.
export interface LogTiles {
  /** May be some seconds old. */
  isPublic(tenant_id: string): boolean | Promise<boolean>
  /** The newest signed note, with its cosignatures; undefined for a log without records. */
  checkpoint(tenant_id: string): Promise<string | undefined>
  /** By its path after `tile/`; undefined where it names no tile, or the log is not that large. */
  tile(tenant_id: string, path: string): Promise<Buffer | undefined>
}
