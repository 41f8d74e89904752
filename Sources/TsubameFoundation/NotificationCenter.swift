// NotificationCenter: posts the stages of a call as notifications, so that observers need no reference to the caller.

public import Foundation
public import Tsubame
import TsubameCore

extension Notification.Name {
    /// Posted when the head of a response has arrived. `userInfo[CallNotification.response]` is the `Response`.
    public static let callDidReceiveResponse = Notification.Name("tsubame.callDidReceiveResponse")
    /// Posted for each piece of the body. `userInfo[CallNotification.bytes]` is the `Data`.
    public static let callDidReceiveData = Notification.Name("tsubame.callDidReceiveData")
    /// Posted when the call has ended with a response. `userInfo[CallNotification.response]` is the complete
    /// `Response`, and `userInfo[CallNotification.bytes]` is its body as `Data`.
    public static let callDidFinish = Notification.Name("tsubame.callDidFinish")
    /// Posted when the call has failed. `userInfo[CallNotification.error]` is the `CallError`.
    public static let callDidFail = Notification.Name("tsubame.callDidFail")
}

/// The keys of a notification's `userInfo`.
public enum CallNotification {
    /// The key of the `Response`.
    public static let response = "response"
    /// The key of the body, or of a piece of it, as `Data`.
    public static let bytes = "bytes"
    /// The key of the `CallError`.
    public static let error = "error"
}

extension Client {
    /// Starts a call and posts its stages to `center`, on the main actor. The `Call` is the object of each
    /// notification.
    ///
    /// An observer of one call keeps that call until it stops observing. A center compares the addresses of objects, and
    /// a later call may get the address of a call that is gone.
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

// The documentation of NotificationCenter allows posts from any thread, but on Linux its declaration is not Sendable.
private struct PostingCenter: @unchecked Sendable {
    private let center: NotificationCenter

    init(_ center: NotificationCenter) { self.center = center }

    func post(_ name: Notification.Name, _ call: Call, _ userInfo: [String: Any]) {
        center.post(name: name, object: call, userInfo: userInfo)
    }
}
