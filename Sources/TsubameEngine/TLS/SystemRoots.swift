// SystemRoots: where a Linux system keeps the certificates that it trusts.

#if os(Linux)
import TsubamePlatform
import NIOSSL
import TsubameCore

enum SystemRoots {
    /// Where NIOSSL looks by itself.
    private static let known = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]
    private static let folder = "/etc/ssl/certs"
    private static let others = ["/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem"]

    /// Where they all are in one file.
    static var file: String? { (known + others).first(where: isReadable) }

    /// Throws if there are none: NIOSSL's own error would not say why.
    static func find() throws(CallError) -> NIOSSLTrustRoots {
        if known.contains(where: isReadable) || hasFiles(folder) { return .default }
        if let other = others.first(where: isReadable) { return .file(other) }
        throw CallError(
            .tls, "no server can be trusted: this machine has no root certificates", phase: .securing,
            advice: "install the package ca-certificates, or give connection.tls.roots")
    }

    private static func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }

    private static func hasFiles(_ path: String) -> Bool {
        guard let folder = opendir(path) else { return false }
        defer { closedir(folder) }
        // `.`, `..` and one more.
        return (0..<3).allSatisfy { _ in readdir(folder) != nil }
    }
}
#endif
