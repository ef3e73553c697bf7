// Well-known packages and what importing them means. What is not listed is not known.
import type { CapabilityName } from '../../tool/capabilities.ts'
import { parseGrant } from '../../tool/capability.ts'

type Told = readonly { readonly capability: CapabilityName; readonly scope?: string }[]

/** By package, made once for each table. */
const tables = new WeakMap<object, ReadonlyMap<string, Told>>()

/** Undefined: nobody knows this package. */
export function packageCapabilities(
  name: string,
  table: { readonly [words: string]: string },
): Told | undefined {
  let known = tables.get(table)
  if (!known) {
    // Of two lines with the same package the first counts.
    known = new Map(
      Object.entries(table)
        .reverse()
        .flatMap(([words, names]) => names.split(/\s+/).map((one) => [one, toldBy(words)])),
    )
    tables.set(table, known)
  }
  return known.get(name) ?? known.get(`${name.split('/')[0]}/*`)
}

function toldBy(words: string): Told {
  if (words === 'nothing') return []
  return words.split(' ').map((word) => {
    const { capability, scope } = parseGrant(word)
    return { capability: capability as CapabilityName, scope }
  })
}

export const pythonPackages = {
  'net.http':
    'requests httpx aiohttp urllib3 httplib2 pycurl requests_oauthlib openai anthropic cohere mistralai groq huggingface_hub transformers datasets slack_sdk slack discord telegram tweepy praw stripe twilio sendgrid github gitlab jira atlassian notion_client googleapiclient google gspread azure selenium playwright scrapy feedparser websocket websockets socketio cloudscraper mechanize bravado zeep gql elasticsearch opensearchpy weaviate pinecone qdrant_client hvac consul kubernetes docker supabase firebase_admin sentry_sdk datadog wikipedia yfinance geopy tavily mcp litellm langchain langchain_openai langchain_core llama_index replicate boxsdk dropbox msal simple_salesforce shodan newspaper trafilatura markitdown yt_dlp pytube',
  'net.http:*.amazonaws.com': 'boto3 botocore aiobotocore s3fs',
  'net.call':
    'paramiko fabric asyncssh pexpect netmiko ftputil pysftp redis psycopg psycopg2 asyncpg pymysql MySQLdb mysql aiomysql pymongo motor cassandra sqlalchemy peewee kafka confluent_kafka pika aiokafka nats stomp paho ldap3 dns scapy impacket imapclient aiosmtplib zmq grpc pyodbc pymssql clickhouse_driver memcache pylibmc celery snowflake',
  'shell.execute': 'sh plumbum invoke pexpect delegator git ansible psutil pyautogui',
  'fs.read':
    'dotenv pandas openpyxl xlrd pypdf PyPDF2 pdfplumber docx pptx PIL cv2 imageio geopandas pyarrow polars h5py netCDF4 librosa soundfile watchdog mammoth fitz pdfminer pytesseract',
  'fs.write': 'xlsxwriter reportlab fpdf',
  'code.dynamic:unpickled': 'dill cloudpickle joblib jsonpickle',
  'code.unknown': 'cffi cython numba pyximport',
  nothing:
    'numpy scipy sympy networkx matplotlib seaborn plotly sklearn torch yaml ruamel jinja2 mako click typer rich tqdm colorama termcolor tabulate docopt fire six attr attrs pydantic marshmallow cerberus voluptuous jsonschema dateutil pytz tzlocal arrow pendulum regex bs4 lxml html5lib markdown markdown2 mistune toml tomli tomli_w tomlkit simplejson ujson orjson msgpack typing_extensions mypy_extensions cachetools more_itertools toolz funcy boltons unidecode slugify inflect nltk spacy textblob chardet charset_normalizer idna certifi packaging semver humanize faker hypothesis pytest shapely emoji phonenumbers babel cryptography nacl jwt bcrypt passlib argon2 xmltodict defusedxml pyparsing lark parse pluggy wcwidth prompt_toolkit questionary pygments loguru structlog tenacity backoff retry diskcache ftfy langdetect rapidfuzz Levenshtein jellyfish fuzzywuzzy thefuzz statsmodels markupsafe cssselect soupsieve pint uncertainties mpmath gmpy2 bitarray ordered_set sortedcontainers dataclasses_json pyrsistent toolcrib rye pypandoc textstat num2words roman isodate croniter holidays setuptools pkg_resources',
} as const

export const javascriptPackages = {
  'net.http':
    'axios node-fetch cross-fetch got undici request request-promise superagent ky needle isomorphic-fetch ws socket.io-client socket.io eventsource openai @anthropic-ai/sdk @google/generative-ai @google-cloud/* googleapis @slack/* octokit @octokit/* @azure/* @supabase/* firebase firebase-admin puppeteer puppeteer-core playwright playwright-core stripe twilio telegraf discord.js @notionhq/client @linear/sdk jira-client @sendgrid/mail mailgun.js @elastic/elasticsearch @sentry/* dd-trace ollama ai @ai-sdk/* langchain @langchain/* jsdom express fastify koa hono graphql-request @apollo/client shopify-api-node airtable snoowrap twitter-api-v2 @modelcontextprotocol/client',
  'net.http:*.amazonaws.com': 'aws-sdk @aws-sdk/*',
  'net.call':
    'nodemailer ssh2 node-ssh ssh2-sftp-client basic-ftp ftp pg mysql mysql2 mongodb mongoose redis ioredis kafkajs amqplib mqtt nats ldapjs imap imapflow tedious cassandra-driver knex sequelize prisma @prisma/client typeorm memcached @grpc/* dns-packet net-snmp',
  'shell.execute':
    'execa shelljs cross-spawn zx node-pty simple-git node-cmd tinyexec npm-run-all open opn systeminformation dockerode sudo-prompt',
  'fs.read fs.write':
    'fs-extra graceful-fs jsonfile write-file-atomic load-json-file write-json-file lowdb nedb better-sqlite3 sqlite3 sharp archiver tar unzipper adm-zip extract-zip exceljs xlsx pdfkit pdf-lib memfs conf configstore',
  'fs.read':
    'glob globby fast-glob tinyglobby chokidar pdf-parse mammoth cosmiconfig find-up read-pkg csv-parse papaparse gray-matter dotenv',
  'fs.write': 'rimraf mkdirp del make-dir temp-write',
  'code.dynamic':
    'vm2 isolated-vm safe-eval eval require-from-string import-fresh esm-eval tsx jiti node-eval',
  'code.unknown': 'ffi-napi node-ffi ref-napi koffi bindings node-gyp-build edge-js',
  nothing:
    'lodash lodash-es underscore ramda dayjs moment moment-timezone date-fns luxon uuid nanoid chalk picocolors kleur ansi-styles strip-ansi commander yargs yargs-parser minimist meow cac zod ajv ajv-formats joi yup superstruct valibot arktype typebox @sinclair/typebox yaml js-yaml toml smol-toml json5 jsonc-parser semver marked markdown-it micromark remark rehype unified turndown cheerio htmlparser2 parse5 xml2js fast-xml-parser handlebars mustache ejs nunjucks qs query-string url-parse validator slugify change-case camelcase pluralize he entities iconv-lite mime mime-types ms bytes pretty-bytes pretty-ms humanize-duration cron-parser croner rrule mathjs bignumber.js decimal.js big.js d3 immutable immer rxjs async p-limit p-map p-queue p-retry eventemitter3 mitt debug pino winston loglevel ora cli-table3 boxen figures inquirer prompts @clack/prompts enquirer minisearch fuse.js lunr picomatch micromatch minimatch ignore diff jsondiffpatch deep-equal fast-deep-equal object-hash crypto-js bcryptjs jsonwebtoken jose tweetnacl @noble/* toolcrib @modelcontextprotocol/server @modelcontextprotocol/sdk @modelcontextprotocol/core typescript jsonpath jsonpath-plus jmespath string-width wrap-ansi wordwrap stemmer natural compromise franc emoji-regex tslib core-js preact react react-dom',
} as const
