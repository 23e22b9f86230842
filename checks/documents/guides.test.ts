// The guides and the plugin pages, run in parallel with the others: each builds or starts something of its
// own.
import { tryBlocks } from './tried-blocks.ts'

tryBlocks((path) => /^docs\/(plugins|rust|guides\/)/.test(path))
