#!/bin/sh
# Runs its arguments: a program and its flags.
exec "$@"
