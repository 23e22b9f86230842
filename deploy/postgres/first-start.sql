-- Runs once, when the database is made: a user who owns the database and may make the two roles the engine works as, and no more.
\set password `cat /run/secrets/svc_password`
CREATE ROLE svc LOGIN CREATEROLE NOSUPERUSER NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE svc OWNER svc;
