// NotificationCenter: the world is told, and the caller knows none of it.

public import Foundation
public import Tsubame
import TsubameCore

extension Notification.Name {
    /// The head of a response is there. `userInfo[CallNotification.response]` is the `Response`.
    public static let callDidReceiveResponse = Notification.Name("tsubame.callDidReceiveResponse")
    /// A piece of the body. `userInfo[CallNotification.bytes]` is the `Data`.
    public static let callDidReceiveData = Notification.Name("tsubame.callDidReceiveData")
    /// The call has ended with a response. `userInfo[CallNotification.response]` is the whole `Response`, and
    /// `userInfo[CallNotification.bytes]` its body as `Data`.
    public static let callDidFinish = Notification.Name("tsubame.callDidFinish")
    /// The call has failed. `userInfo[CallNotification.error]` is the `CallError`.
    public static let callDidFail = Notification.Name("tsubame.callDidFail")
}

/// The keys of a notification's `userInfo`.
public enum CallNotification {
    /// The `Response`.
    public static let response = "response"
    /// The body, or a piece of it, as `Data`.
    public static let bytes = "bytes"
    /// The `CallError`.
    public static let error = "error"
}

extension Client {
    /// Starts a call and posts its stages to `center`, on the main actor, with the `Call` as the notifications' object.
    @discardableResult
    public func start(_ request: Request, notifying center: NotificationCenter) -> Call {
        let center = PostingCenter(center)
        return start(
            request,
            head: { call, response in center.post(.callDidReceiveResponse, call, [CallNotification.response: response])
            },
            bytes: { call, bytes in center.post(.callDidReceiveData, call, [CallNotification.bytes: Data(bytes)]) },
            progress: { _, _ in },
            then: { call, result in
                switch result {
                case .success(let response):
                    center.post(
                        .callDidFinish, call,
                        [CallNotification.response: response, CallNotification.bytes: Data(response.bytes)])
                case .failure(let error):
                    center.post(.callDidFail, call, [CallNotification.error: error])
                }
            })
    }
}

// NotificationCenter may be posted to from any thread; its documentation says so, its declaration on Linux does not.
private struct PostingCenter: @unchecked Sendable {
    private let center: NotificationCenter

    init(_ center: NotificationCenter) { self.center = center }

    func post(_ name: Notification.Name, _ call: Call, _ userInfo: [String: Any]) {
        center.post(name: name, object: call, userInfo: userInfo)
    }
}
