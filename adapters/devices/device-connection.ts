// A device at a broker of this machine, as far as it says something.
import { connectAsync } from 'mqtt'

export interface DeviceConnection {
  /** Resolves once the broker has it. */
  publish(topic: string, payload: object, retain?: boolean): Promise<void>
}

/** The name is its client id, too. */
export async function connectDevice(
  port: number,
  { name, password }: { readonly name: string; readonly password: string },
): Promise<DeviceConnection> {
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { clientId: name, username: name, password })
  client.on('error', () => {})
  return {
    async publish(topic, payload, retain = false) {
      await client.publishAsync(topic, JSON.stringify(payload), { qos: 1, retain })
    },
  }
}
