// Starlight asks for a collection; ours is empty, because pages come from the repository's Markdown.

import { defineCollection } from 'astro:content'
import { docsSchema } from '@astrojs/starlight/schema'

export const collections = { docs: defineCollection({ loader: () => [], schema: docsSchema() }) }
