// TimelineViewer: shows a timeline by notifications.
// It observes the four stages of one transfer. Others may observe the same stages.

#if XML
import Foundation
import Tsubame
import TsubameFoundation
import TsubameXML

@MainActor
final class TimelineViewer {
    private var observers: [any NSObjectProtocol] = []
    private let call: Call
    private let end: (_ isShown: Bool) -> Void

    /// Shows the timeline of one transfer.
    /// - Parameters:
    ///   - call: the object of the notifications that are observed.
    ///   - end: called when the timeline has been shown, or cannot be shown.
    init(of call: Call, then end: @escaping (_ isShown: Bool) -> Void) {
        self.call = call
        self.end = end
        observe(.callDidReceiveResponse, CallNotification.response) { (response: Response) in
            print("response: \(response.status)")
        }
        observe(.callDidReceiveData, CallNotification.bytes) { (data: Data) in
            print("data: \(data.count) bytes")
        }
        observe(.callDidFinish, CallNotification.response) { (response: Response) in
            do throws(CallError) {
                self.show(try response.xml(Timeline.self))
            } catch {
                self.alert(error)
            }
        }
        observe(.callDidFail, CallNotification.error) { (error: CallError) in
            self.alert(error)
        }
    }

    private func show(_ timeline: Timeline) {
        for status in timeline.status { print("\(status.user.name): \(status.text)") }
        close(isShown: true)
    }

    private func alert(_ error: CallError) {
        print("alert: \(error)")
        close(isShown: false)
    }

    /// The center keeps an observer until it is removed.
    private func close(isShown: Bool) {
        observers.forEach(NotificationCenter.default.removeObserver)
        observers = []
        end(isShown)
    }

    private func observe<Value: Sendable>(
        _ name: Notification.Name, _ key: String, then act: @escaping @MainActor (Value) -> Void
    ) {
        observers.append(
            NotificationCenter.default.addObserver(forName: name, object: call, queue: nil) { notification in
                guard let value = notification.userInfo?[key] as? Value else { return }
                // Calls post their notifications on the main actor.
                MainActor.assumeIsolated { act(value) }
            })
    }
}
#endif
