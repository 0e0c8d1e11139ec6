import type { Admin, Kafka } from 'kafkajs';

/** Uses an administrative connection and closes it. */
export async function withAdmin<T>(kafka: Kafka, use: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    return await use(admin);
  } finally {
    // A connection that is broken already has nothing left to close.
    await admin.disconnect().catch(() => {});
  }
}
