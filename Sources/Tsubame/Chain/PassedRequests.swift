// PassedRequests: the requests as they passed the steps of one segment that may have them sent again.

import TsubameCore

/// Two requests are kept in place, since few segments have more steps that decide.
struct PassedRequests {
    private struct Entry {
        let position: Int
        /// nil if it is the one that went out.
        var request: Request?
        var resends = 0
    }

    private var first: Entry?
    private var second: Entry?
    private var rest: [Entry] = []

    /// - Parameter request: nil if it is the one that goes out.
    mutating func remember(_ request: Request?, at position: Int) {
        if first?.position == position {
            first?.request = request
        } else if second?.position == position {
            second?.request = request
        } else if let index = rest.firstIndex(where: { $0.position == position }) {
            rest[index].request = request
        } else if first == nil {
            first = Entry(position: position, request: request)
        } else if second == nil {
            second = Entry(position: position, request: request)
        } else {
            rest.append(Entry(position: position, request: request))
        }
    }

    mutating func forget(at position: Int) {
        if first?.position == position {
            first = nil
        } else if second?.position == position {
            second = nil
        } else {
            rest.removeAll { $0.position == position }
        }
    }

    /// - Parameter last: the request that went out.
    func hop(at position: Int, _ last: Request, _ call: Call) -> Hop? {
        let entry =
            first?.position == position
            ? first : second?.position == position ? second : rest.first { $0.position == position }
        return entry.map { Hop(request: $0.request ?? last, call: call, resends: $0.resends) }
    }

    /// A resend goes on from the request that it sends.
    mutating func countResend(of request: Request, at position: Int) {
        if first?.position == position {
            first?.resends += 1
            first?.request = request
        } else if second?.position == position {
            second?.resends += 1
            second?.request = request
        } else if let index = rest.firstIndex(where: { $0.position == position }) {
            rest[index].resends += 1
            rest[index].request = request
        }
    }
}
