// TLSOptions: the options about TLS: certificates, keys and versions.

import Tsubame

struct TLSOptions: Options {
    enum Verification {
        case yes, no
        case file(String)

        init(_ text: String) throws(UsageProblem) {
            switch text.lowercased() {
            case "yes", "true": self = .yes
            case "no", "false": self = .no
            // HTTPie also takes a file here.
            case _ where text.contains("/") || text.hasSuffix(".pem") || text.hasSuffix(".crt"):
                self = .file(text)
            default: throw UsageProblem("“\(text)” is neither yes nor no, nor the path of a PEM file.")
            }
        }
    }

    enum Version: String, CaseIterable {
        case tls10 = "1.0"
        case tls11 = "1.1"
        case tls12 = "1.2"
        case tls13 = "1.3"

        var version: ConnectionSettings.TLS.Version {
            switch self {
            case .tls10: .tls10
            case .tls11: .tls11
            case .tls12: .tls12
            case .tls13: .tls13
            }
        }
    }

    /// The value of `--ciphers`.
    struct Ciphers: Sendable {
        /// nil for the usual ones.
        let suites: [ConnectionSettings.TLS.CipherSuite]?
        /// The names of other suites, which the list may hold besides, as for OpenSSL.
        var unknown: [String] = []
    }

    var verify = Verification.yes
    var cacert: String?
    var cert: String?
    var certKey: String?
    var certKeyPass: String?
    var tlsMin: Version?
    var tlsMax: Version?
    var ciphers = Ciphers(suites: nil)

    static let title = "TLS"
    static let options: [CommandOption<Self>] = [
        .value(
            "verify", "yes|no|file", completion: .words(["yes", "no"]),
            "no: trust every certificate. A file: the same as --cacert.",
            reading: Verification.init
        ) { $0.verify = $1 },
        .value(
            "cacert", "file", completion: .file, "Trust the certificates in this PEM file instead of the system's."
        ) { $0.cacert = $1 },
        .value(
            "cert", "file", completion: .file,
            "Client certificate: a PEM file, which includes the key unless --cert-key is given."
        ) { $0.cert = $1 },
        .value("cert-key", "file", completion: .file, "Private key of the client certificate: a PEM file.") {
            $0.certKey = $1
        },
        .value(
            "cert-key-pass", "text", isAnyWord: true,
            "Passphrase of the private key; prompted for if missing."
        ) { $0.certKeyPass = $1 },
        .choice("tls-min", of: Version.self, "Minimum TLS version; 1.2 by default.") {
            $0.tlsMin = $1
        },
        .choice("tls-max", of: Version.self, "Maximum TLS version; 1.3 by default.") { $0.tlsMax = $1 },
        .value(
            "ssl", "version", completion: .words(["tls1", "tls1.1", "tls1.2", "tls1.3", "ssl2.3"]),
            "Use only this version: tls1, tls1.1, tls1.2 or tls1.3. ssl2.3 (HTTPie's default) uses all of the defaults.",
            reading: version
        ) { ($0.tlsMin, $0.tlsMax) = ($1, $1) },
        .value(
            "ciphers", "list",
            completion: .words(["DEFAULT"] + ConnectionSettings.TLS.CipherSuite.all.map(\.openSSLName)),
            "Cipher suites for TLS up to 1.2, as OpenSSL or the standard names them, with a colon between. TLS 1.3 has its own.",
            reading: ciphers
        ) { $0.ciphers = $1 },
    ]

    private static func version(_ text: String) throws(UsageProblem) -> Version? {
        switch text.lowercased() {
        case "ssl2.3": nil
        case "tls1", "tls1.0": .tls10
        case "tls1.1": .tls11
        case "tls1.2": .tls12
        case "tls1.3": .tls13
        default: throw UsageProblem("“\(text)” is none of tls1, tls1.1, tls1.2, tls1.3 and ssl2.3.")
        }
    }

    /// The suites of OpenSSL's list of names. Its rules and groups, such as `!MD5` and `HIGH`, are not supported.
    private static func ciphers(_ text: String) throws(UsageProblem) -> Ciphers {
        if text.uppercased() == "DEFAULT" { return Ciphers(suites: nil) }
        let names = text.split { $0 == ":" || $0 == "," || $0 == " " }.map(String.init)
        if names.isEmpty { throw UsageProblem("there is no cipher suite in the list.") }
        let known = ConnectionSettings.TLS.CipherSuite.all.map(\.openSSLName).joined(separator: ", ")
        let rule = names.first { name in
            "!-+@".contains(name.prefix(1)) || name.contains("=") || groups.contains(name.uppercased())
        }
        if let rule {
            throw UsageProblem("“\(rule)” is a rule or a group of OpenSSL, and --ciphers takes only names: \(known).")
        }
        let suites = names.compactMap { ConnectionSettings.TLS.CipherSuite($0) }
        // TLS 1.3 offers its suites in any case.
        let others = names.filter {
            ConnectionSettings.TLS.CipherSuite($0) == nil && !newSuites.contains($0.uppercased())
        }
        if suites.isEmpty, let name = others.first {
            throw UsageProblem("“\(name)” is not a cipher suite for TLS 1.2. The names are \(known) and DEFAULT.")
        }
        return Ciphers(suites: suites.isEmpty ? nil : suites, unknown: others)
    }

    private static let groups: Set = [
        "DEFAULT", "ALL", "HIGH", "MEDIUM", "LOW", "NULL", "ENULL", "ANULL", "COMPLEMENTOFALL", "COMPLEMENTOFDEFAULT",
    ]

    private static let newSuites: Set = [
        "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256",
    ]

    func validate() throws(UsageProblem) {
        if cert == nil, certKey != nil || certKeyPass != nil {
            throw UsageProblem("\(certKey == nil ? "--cert-key-pass" : "--cert-key") needs --cert.")
        }
        if oldest > newest { throw UsageProblem("--tls-min is above --tls-max.") }
        if case .no = verify, cacert != nil {
            throw UsageProblem("--cacert and --verify no exclude each other.")
        }
    }

    private var newest: ConnectionSettings.TLS.Version { tlsMax?.version ?? .tls13 }

    /// If the user limits only the maximum, to an old version, that version is also the minimum.
    private var oldest: ConnectionSettings.TLS.Version { tlsMin?.version ?? min(.tls12, newest) }

    /// These options, with the passphrase of an encrypted key if the user has to type it.
    func asking(mayPrompt: Bool) throws -> TLSOptions {
        if !ciphers.unknown.isEmpty {
            Diagnostics.say(
                "warning: --ciphers leaves out \(ciphers.unknown.joined(separator: ", ")), which are not known")
        }
        guard let cert, certKeyPass == nil else { return self }
        let path = certKey ?? cert
        let file: Descriptor
        do throws(SystemError) {
            file = try Descriptor.reading(path)
        } catch {
            throw error.of(certKey == nil ? "--cert" : "--cert-key")
        }
        defer { file.shut() }
        // A pipe can be read only once, so the library must be the one that reads it.
        guard file.kind == .regular else { return self }
        let text = String(decoding: try file.readPiece(64 << 10), as: UTF8.self)
        guard text.contains("ENCRYPTED") else { return self }
        var options = self
        options.certKeyPass = try PasswordPrompt.ask(
            "passphrase of \(path)", instead: "give it by --cert-key-pass", mayPrompt: mayPrompt)
        return options
    }

    func apply(to tls: inout ConnectionSettings.TLS) {
        switch verify {
        case .yes: break
        case .no: tls.verification = .dangerouslyOff
        case .file(let path): tls.roots = .file(path)
        }
        tls.cipherSuites = ciphers.suites
        if let cacert { tls.roots = .file(cacert) }
        if let cert { tls.identity = .files(certificate: cert, key: certKey ?? cert, passphrase: certKeyPass) }
        (tls.minimumVersion, tls.maximumVersion) = (oldest, newest)
    }
}
