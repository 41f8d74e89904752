// ExitStatus: the status with which `tsubame` ends.

import Tsubame

/// The status with which `tsubame` ends.
enum ExitStatus: Int32 {
    case ok = 0
    /// No response, an incomplete response, or an output that cannot be written.
    case failure = 1
    /// A deadline passed.
    case timeout = 2
    /// 3xx: a redirect that was not followed, or a status that is no redirect, such as 304.
    case redirect = 3
    /// 4xx.
    case clientError = 4
    /// 5xx, and a status of 600 and above, which counts as one (RFC 9110 section 15).
    case serverError = 5
    case tooManyRedirects = 6
    /// The arguments are wrong (`EX_USAGE`), and nothing was sent.
    case usage = 64

    init(status: Int) {
        switch status {
        case 300..<400: self = .redirect
        case 400..<500: self = .clientError
        case 500...: self = .serverError
        default: self = .ok
        }
    }

    /// - Parameter maximum: the number of redirects that were allowed.
    init(_ error: CallError, maximumRedirects maximum: Int) {
        let followed = error.response?.history.count { (300..<400).contains($0.statusCode) } ?? 0
        switch error.kind {
        case .timeout: self = .timeout
        case .redirect where followed >= maximum: self = .tooManyRedirects
        default: self = .failure
        }
    }
}
