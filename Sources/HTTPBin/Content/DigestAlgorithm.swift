// DigestAlgorithm: the hash functions of Digest authentication.
#if Server
import Crypto

/// The raw values are httpbin's names.
enum DigestAlgorithm: String {
    case md5 = "MD5"
    case sha256 = "SHA-256"
    case sha512 = "SHA-512"

    /// Any other name means MD5, as in httpbin.
    init(named name: String?) {
        self = name.flatMap(Self.init) ?? .md5
    }

    /// The hash of all parts, joined with colons, in lower-case hexadecimal digits.
    func hash(_ parts: [[UInt8]]) -> [UInt8] {
        let data = Array(parts.joined(separator: [UInt8(ascii: ":")]))
        return switch self {
        case .md5: Hexadecimal.lowercase(Insecure.MD5.hash(data: data))
        case .sha256: Hexadecimal.lowercase(SHA256.hash(data: data))
        case .sha512: Hexadecimal.lowercase(SHA512.hash(data: data))
        }
    }

    func hash(_ parts: [UInt8]...) -> [UInt8] { hash(parts) }
}

#endif
