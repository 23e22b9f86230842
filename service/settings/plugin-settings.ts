// Which plugins an engine takes in, from where, and on whose word. The publishers are the same for tools and for plugins.
import type { Reader } from './reader.ts'

export function readPluginSettings(read: Reader) {
  return {
    /** Parts of the engine that can be left out: protocols of its own, and plugins. */
    features: read('SVC_FEATURES'),
    plugins: {
      /** Undefined where nobody named one. */
      directory: read('SVC_PLUGIN_DIR'),
      auto_discover: read('SVC_PLUGIN_AUTO_DISCOVER'),
      allowed_sources: [...read('SVC_PLUGIN_SOURCES')],
      watch_interval_ms: read('SVC_PLUGIN_WATCH_INTERVAL_MS'),
      require_signatures: read('SVC_PLUGIN_REQUIRE_SIGNATURES'),
      processes_max: read('SVC_PLUGIN_PROCESSES'),
      /** What plugins are built against; reported, never started. */
      abi_level: read('SVC_WASMTIME_VERSION'),
    },
  }
}
