// The target: what people accept as fast. Fastify with its own JSON parsing returns the body.
import Fastify from 'fastify'

const app = Fastify()
app.post('/v1/dispatch', async (request) => request.body)
await app.listen({ port: Number(process.argv[2]), host: '127.0.0.1' })
console.log('listening')
