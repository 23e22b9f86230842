// The guides and the pages about plugins, tried like the others, beside them: each builds or starts something of its own.
import { tryBlocks } from './tried-blocks.ts'

tryBlocks((path) => /^docs\/(plugins|rust|guides\/)/.test(path))
