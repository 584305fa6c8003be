#!/bin/sh
# Creates .env with random secrets for compose.yaml. Does not replace an existing file.
set -eu
cd "$(dirname "$0")"
umask 077
set -C # fails if the file exists
cat >.env <<END
DATABASE_PASSWORD=$(openssl rand -hex 24)
SESSION_SECRET=$(openssl rand -hex 32)
END
echo "created $(pwd)/.env"
