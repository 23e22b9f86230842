// Asked by the container's HEALTHCHECK: ends with 0 where what runs in this container says it is well. The address may be given.
import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'

const answer_ms_max = 4_000
const url = new URL(process.argv[2] ?? 'http://127.0.0.1:8080/health')
const get = url.protocol === 'https:' ? getHttps : getHttp

function end(code, sentence) {
  if (sentence) console.error(sentence)
  process.exit(code)
}

// It asks itself on its own machine, so there is nobody whose certificate could be a wrong one.
const request = get(url, { rejectUnauthorized: false, timeout: answer_ms_max }, ({ statusCode }) =>
  end(statusCode === 200 ? 0 : 1, statusCode === 200 ? '' : `${url} answered ${statusCode}`),
)
request.on('timeout', () => end(1, `${url} did not answer within ${answer_ms_max} ms`))
request.on('error', (error) => end(1, `${url}: ${error.message}`))
