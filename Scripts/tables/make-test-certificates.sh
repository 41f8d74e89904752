#!/bin/sh
# Makes the certificates that tests use and writes Sources/TsubameTesting/Certificates/TestCertificates.swift.
# The authority's private key is thrown away at the end: nobody can ever issue another certificate with it.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
output="$root/Sources/TsubameTesting/Certificates/TestCertificates.swift"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

first=20200101000000Z
last=21260101000000Z

cat >openssl.cnf <<'CNF'
[ca]
default_ca = authority
[authority]
dir = .
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
unique_subject = no
copy_extensions = none
[any]
commonName = supplied
organizationName = supplied
[req]
distinguished_name = name
prompt = no
[name]
[authority_extensions]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[localhost_extensions]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = DNS:localhost, IP:127.0.0.1, IP:::1
[wrong_host_extensions]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = DNS:wrong.host
CNF
: >index.txt
echo 1000 >serial

key() { # name
    openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out "$1.key"
}

request() { # name, common name
    key "$1"
    openssl req -new -config openssl.cnf -key "$1.key" -subj "/O=Tsubame tests only/CN=$2" -out "$1.csr"
}

sign() { # name, extensions, start, end, further options
    name=$1 extensions=$2 start=$3 end=$4
    shift 4
    openssl ca -batch -notext -config openssl.cnf -extensions "$extensions" -startdate "$start" -enddate "$end" \
        -in "$name.csr" -out "$name.pem" "$@" 2>"$name.log" || { cat "$name.log" >&2; exit 1; }
}

leaf() { # name, common name, extensions, start, end
    request "$1" "$2"
    sign "$1" "$3" "$4" "$5" -cert authority.pem -keyfile authority.key
}

request authority "Tsubame test authority"
sign authority authority_extensions $first $last -selfsign -keyfile authority.key
leaf localhost localhost localhost_extensions $first $last
leaf expired localhost localhost_extensions $first 20200201000000Z
leaf wrong_host wrong.host wrong_host_extensions $first $last
request self_signed localhost
sign self_signed localhost_extensions $first $last -selfsign -keyfile self_signed.key

for name in localhost expired wrong_host; do
    openssl verify -no_check_time -CAfile authority.pem "$name.pem" >&2
done

constant() { # Swift name, file, documentation
    printf '\n    /// %s\n    %s = """\n' "$3" "$1"
    sed 's/^/        /' "$2"
    printf '        """\n'
}

{
    echo "// TestCertificates: certificates and PUBLIC private keys, for tests only."
    echo "// Written by Scripts/tables/make-test-certificates.sh; do not edit."
    echo
    echo "/// Certificates for tests. Their private keys are published with this library's source code, so they prove nothing."
    echo "/// Never use them outside tests, and never add the authority to a system's trusted roots."
    printf 'public enum TestCertificates {'
    constant "public static let authorityPEM" authority.pem \
        "The authority that a client under test trusts. It issued \`\`TLSIdentity/localhost\`\`,
    /// \`\`TLSIdentity/expired\`\` and \`\`TLSIdentity/wrongHost\`\`. It is valid from 2020 to 2126, and its private key
    /// no longer exists."
    constant "static let localhostPEM" localhost.pem "For localhost, 127.0.0.1 and ::1, from 2020 to 2126."
    constant "static let localhostKeyPEM" localhost.key "Public: for tests only."
    constant "static let expiredPEM" expired.pem "For localhost, 127.0.0.1 and ::1, in January 2020 only."
    constant "static let expiredKeyPEM" expired.key "Public: for tests only."
    constant "static let wrongHostPEM" wrong_host.pem "For wrong.host only, from 2020 to 2126."
    constant "static let wrongHostKeyPEM" wrong_host.key "Public: for tests only."
    constant "static let selfSignedPEM" self_signed.pem "For localhost, 127.0.0.1 and ::1, signed with its own key."
    constant "static let selfSignedKeyPEM" self_signed.key "Public: for tests only."
    echo "}"
} >"$output"
echo "wrote $output" >&2
