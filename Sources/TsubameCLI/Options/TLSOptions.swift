// TLSOptions: the options about how a connection is secured.
#if Tool
import ArgumentParser
import Tsubame

struct TLSOptions: ParsableArguments {
    enum Verification: ExpressibleByArgument {
        case yes, no
        case file(String)

        init?(argument: String) {
            switch argument.lowercased() {
            case "yes", "true": self = .yes
            case "no", "false": self = .no
            // HTTPie takes a file here too.
            case _ where argument.contains("/") || argument.hasSuffix(".pem") || argument.hasSuffix(".crt"):
                self = .file(argument)
            default: return nil
            }
        }
    }

    enum Version: String, ExpressibleByArgument, CaseIterable {
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

    @Option(
        help: ArgumentHelp("no: trust every certificate. A file is the same as --cacert.", valueName: "yes|no|file"))
    var verify = Verification.yes

    @Option(
        help: ArgumentHelp("Trust the certificates in this PEM file instead of the system's.", valueName: "file"))
    var cacert: String?

    @Option(
        help: ArgumentHelp(
            "Show this client certificate: a PEM file, with its key unless --cert-key is given.",
            valueName: "file"))
    var cert: String?

    @Option(help: ArgumentHelp("The client certificate's private key: a PEM file.", valueName: "file"))
    var certKey: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("What the private key is encrypted with; asked for if it is not given.", valueName: "text"))
    var certKeyPass: String?

    @Option(help: ArgumentHelp("The oldest version of TLS that is spoken; 1.2 unless given.", valueName: "version"))
    var tlsMin: Version?

    @Option(help: ArgumentHelp("The newest one; 1.3 unless given.", valueName: "version"))
    var tlsMax: Version?

    func validate() throws {
        if cert == nil, certKey != nil || certKeyPass != nil {
            throw ValidationError("\(certKey == nil ? "--cert-key-pass" : "--cert-key") needs --cert.")
        }
        if oldest > newest { throw ValidationError("--tls-min is above --tls-max.") }
        if case .no = verify, cacert != nil {
            throw ValidationError("--cacert and --verify no exclude each other.")
        }
    }

    private var newest: ConnectionSettings.TLS.Version { tlsMax?.version ?? .tls13 }

    /// Whoever allows at most an old version means that one.
    private var oldest: ConnectionSettings.TLS.Version { tlsMin?.version ?? min(.tls12, newest) }

    /// The passphrase of an encrypted key, asked for where it is missing.
    func asking() throws -> TLSOptions {
        guard let cert, certKeyPass == nil else { return self }
        let path = certKey ?? cert
        let file = try Descriptor.reading(path)
        defer { file.shut() }
        // What comes by a pipe can be read once.
        guard file.kind == .regular else { return self }
        let text = String(decoding: try file.readPiece(64 << 10), as: UTF8.self)
        guard text.contains("ENCRYPTED") else { return self }
        var options = self
        options.certKeyPass = try PasswordPrompt.ask(
            "passphrase of \(path)", instead: "give it by --cert-key-pass")
        return options
    }

    func apply(to tls: inout ConnectionSettings.TLS) {
        switch verify {
        case .yes: break
        case .no: tls.verification = .dangerouslyOff
        case .file(let path): tls.roots = .file(path: path)
        }
        if let cacert { tls.roots = .file(path: cacert) }
        if let cert { tls.identity = .files(certificate: cert, key: certKey ?? cert, passphrase: certKeyPass) }
        (tls.minimumVersion, tls.maximumVersion) = (oldest, newest)
    }
}

#endif
