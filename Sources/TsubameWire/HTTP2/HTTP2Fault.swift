// HTTP2Fault: a fault of a connection.

import TsubameCore

/// A fault of the connection, with the code that is sent to the peer.
struct HTTP2Fault: Error {
    let code: HTTP2Code
    let error: WireError

    init(_ code: HTTP2Code, _ error: WireError) {
        self.code = code
        self.error = error
    }
}
