#!/bin/sh
# Skips a test, and says why.
#
# Usage: skip.sh WORDS
echo "SKIPPED: missing: $1"
cat > "$XML_OUTPUT_FILE" << END
<testsuites><testsuite name="aarch64"><testcase name="missing: $1"><skipped/></testcase></testsuite></testsuites>
END
