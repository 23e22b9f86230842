// The environment variables that tests, checks, packing and the compose file read. docs/settings.md lists them.

export const test_settings: readonly (readonly [name: string, meaning: string])[] = [
  ['SVC_TEST_DB_URL', 'PostgreSQL for tests, instead of one that they start'],
  ['SVC_TEST_REDIS_SERVER', 'the redis-server to start'],
  ['SVC_TEST_MOSQUITTO', 'the mosquitto to start'],
  ['SVC_TEST_MMDEBSTRAP', 'the mmdebstrap that fetches Patroni and what it needs'],
  ['SVC_TEST_BROWSER', 'the Chromium that opens the console'],
  ['SVC_TEST_PICTURES', 'folder for pictures of the console'],
  ['SVC_TEST_JAVA', 'the java that runs Kafka'],
  ['SVC_TEST_MAVEN', 'the mvn that downloads Kafka'],
  ['SVC_TEST_VERSITYGW', 'the versitygw to start as an S3-compatible server'],
  ['SVC_TEST_HELM', 'the helm that renders the chart'],
  ['SVC_TEST_PROMTOOL', 'the promtool that reads the alert rules'],
  ['SVC_TEST_HADOLINT', 'the hadolint that reads the Dockerfile'],
  ['SVC_TEST_KUBERNETES_VALIDATE', 'the kubernetes-validate that reads what the chart renders'],
  ['SVC_TEST_SEED', 'repeats a run of a randomized test with the seed it printed'],
  ['SVC_TEST_OPERATION', 'the one operation that the test of worst inputs tries'],
  ['SVC_TEST_CALLS', 'how many calls the test of retried calls makes'],
  ['SVC_TEST_FAILOVERS', 'how often the test of failovers takes the primary of PostgreSQL away'],
  ['SVC_TEST_FUZZ_SECONDS', 'how long the long form of fuzzing looks, over all parsers'],
  ['SVC_TEST_A2A_TCK', 'a checkout of the A2A compatibility kit, with its requirements in .venv'],
  ['SVC_TEST_DUMMY_A2A', 'a Python with the package dummy-a2a'],
  ['SVC_TEST_ASSURANCE', '1 for the long form of such tests, as npm run assurance runs them'],
]

export const compose_settings: readonly (readonly [name: string, meaning: string])[] = [
  ['SVC_IMAGE', 'the image to run, instead of the one that npm run pack builds'],
  ['SVC_IMAGE_BASE', 'the image that npm run pack builds ours on, instead of debian:trixie-slim'],
  ['SVC_RELEASE_KEY_FILE', 'the Ed25519 private key (PEM) by which npm run pack signs SHA256SUMS'],
  ['SVC_GATEWAY_DID', 'the DID of the gateway; make-secrets writes it to .env'],
]
