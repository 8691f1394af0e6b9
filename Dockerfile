# The official image of PostgreSQL with txtfp: docker build --build-arg PG_MAJOR=17 -t txtfp .
# Then, in a database: CREATE EXTENSION txtfp
ARG PG_MAJOR=17

FROM postgres:${PG_MAJOR} AS build
ARG PG_MAJOR
RUN apt-get update && apt-get install -y --no-install-recommends g++ make libicu-dev libxxhash-dev postgresql-server-dev-${PG_MAJOR}
COPY . /src
RUN make -C /src -s -j"$(nproc)" PG_CONFIG=/usr/lib/postgresql/${PG_MAJOR}/bin/pg_config DESTDIR=/txtfp all install

# The server brings what the extension needs at run time: ICU and libstdc++.
FROM postgres:${PG_MAJOR}
COPY --from=build /txtfp/ /
