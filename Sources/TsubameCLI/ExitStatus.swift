// ExitStatus: what a request's end means to the shell.
#if Tool
import Tsubame

/// The status with which `tsubame` ends.
enum ExitStatus: Int32 {
    case ok = 0
    /// No answer, not a whole one, or nowhere to write it to.
    case failure = 1
    /// A deadline passed.
    case timeout = 2
    /// 3xx: a redirect that was not followed, or none, such as 304.
    case redirect = 3
    /// 4xx.
    case clientError = 4
    /// 5xx.
    case serverError = 5
    case tooManyRedirects = 6
    /// The arguments make no sense (`EX_USAGE`); nothing was sent.
    case usage = 64

    init(status: Int) {
        switch status {
        case 300..<400: self = .redirect
        case 400..<500: self = .clientError
        case 500..<600: self = .serverError
        default: self = .ok
        }
    }

    /// - Parameter maximum: how many redirects were allowed.
    init(_ error: CallError, maximumRedirects maximum: Int) {
        let followed = error.response?.history.count { (300..<400).contains($0.statusCode) } ?? 0
        switch error.kind {
        case .timeout: self = .timeout
        case .redirect where followed >= maximum: self = .tooManyRedirects
        default: self = .failure
        }
    }
}

#endif
