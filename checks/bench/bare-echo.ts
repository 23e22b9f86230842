// The lower bound: node:http parses one JSON body and returns it. No dispatch can be faster.
import { createServer } from 'node:http'

const server = createServer((req, res) => {
  const chunks: Buffer[] = []
  req.on('data', (chunk) => chunks.push(chunk))
  req.on('end', () => {
    const text = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()))
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    res.end(text)
  })
})
server.listen(Number(process.argv[2]), '127.0.0.1', () => console.log('listening'))
