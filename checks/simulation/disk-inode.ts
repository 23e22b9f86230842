// Files and names of a simulated disk, as values.

export interface Inode {
  readonly kind: 'file' | 'folder' | 'link'
  bytes: Buffer<ArrayBufferLike>
  /** What a power loss leaves of it. */
  synced: Buffer<ArrayBufferLike>
  links: number
  /** Of simulated time, when it was made, or written last. */
  changed_ms: number
}

/** A change of a folder's names. They reach the disk in order, as a journalling file system writes them. */
export interface NameChange {
  readonly folder: string
  readonly path: string
  readonly inode: Inode | undefined
  /** The old name in a rename: both change in one step. */
  readonly old_path?: string
}

export function newInode(kind: Inode['kind'], changed_ms: number, bytes: Buffer = Buffer.alloc(0)): Inode {
  return { kind, bytes, synced: kind === 'link' ? bytes : Buffer.alloc(0), links: 0, changed_ms }
}

export function applyChange(names: Map<string, Inode>, { path, inode, old_path }: NameChange): void {
  if (old_path !== undefined) names.delete(old_path)
  if (inode) names.set(path, inode)
  else names.delete(path)
}

export function commonLength(a: Buffer, b: Buffer): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return at
  return length
}

export function spliced(bytes: Buffer, added: Uint8Array, offset: number): Buffer {
  const longer = Buffer.alloc(Math.max(bytes.length, offset + added.length))
  bytes.copy(longer)
  longer.set(added, offset)
  return longer
}

export function failure(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code })
}
