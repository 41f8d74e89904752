// TLS+CacheIdentity: a text of the settings of TLS that is the same in each process.

import TsubameCore
import TsubamePlatform

extension ConnectionSettings.TLS {
    /// The same text for equal settings and for no others; nil if a closure takes part, or a setting that is not named here. It
    /// holds secrets, so only a digest of it may be kept.
    var cacheText: String? {
        var rest = self
        rest.roots = .system
        rest.verification = .full
        (rest.minimumVersion, rest.maximumVersion) = (.tls12, .tls13)
        rest.cipherSuites = nil
        rest.minimumRSABits = Self().minimumRSABits
        rest.identity = nil
        rest.pins = [:]
        // It takes no part in a connection.
        rest.keyLogFile = nil
        guard rest == Self() else { return nil }
        let pins = pins.map { "\($0.key.debugDescription) \($0.value.pins.sorted())" }.sorted()
        return [
            rootsText, "\(verification)", "\(minimumVersion) \(maximumVersion)",
            cipherSuites.map { "\($0.map(\.number))" } ?? "", "\(minimumRSABits)", identity?.cacheText ?? "", "\(pins)",
        ].joined(separator: " ")
    }

    private var rootsText: String {
        switch roots {
        case .system: "system"
        case .pem(let text): "pem \(text.debugDescription)"
        case .file(let path): "file \(CachePath.absolute(path))"
        case .systemAnd(let path): "system and \(CachePath.absolute(path))"
        }
    }
}

extension ConnectionSettings.TLS.Identity {
    fileprivate var cacheText: String {
        func text(_ source: Source) -> String {
            switch source {
            case .pem(let text): "pem \(text.debugDescription)"
            case .file(let path): "file \(CachePath.absolute(path))"
            }
        }
        return "\(text(chain)) \(text(key)) \(passphrase?.debugDescription ?? "nil")"
    }
}

enum CachePath {
    /// The path from the root, quoted. Programs that run in different folders may use files of the same name.
    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path.debugDescription }
        defer { free(folder) }
        return "\(String(cString: folder))/\(path)".debugDescription
    }
}
