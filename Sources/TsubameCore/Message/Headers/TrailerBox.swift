// TrailerBox: the trailers of a response, set after its body has been read.

package import HTTPTypes
import Synchronization

/// Holds the trailers of a response, which are set after its body has been read.
package final class TrailerBox: Sendable {
    private let box = Mutex<HTTPFields?>(nil)

    package init() {}

    package var fields: HTTPFields? { box.withLock { $0 } }

    package func set(_ fields: HTTPFields) { box.withLock { $0 = fields } }
}
