import styles from './Plans.module.css';

const PLANS = [
  { name: 'Starter', price: '$9', note: 'For one person' },
  { name: 'Team', price: '$29', note: 'For up to ten people' },
];

export function Plans() {
  return (
    <main className={styles.page}>
      <h1 className={styles.title}>Choose a plan</h1>
      <div className={styles.cards}>
        {PLANS.map(({ name, price, note }) => (
          <section className={styles.card} key={name}>
            <h2 className={styles.name}>{name}</h2>
            <p className={styles.price}>{price}</p>
            <p className={styles.note}>{note}</p>
            <button type="button" className={styles.button}>Buy {name}</button>
          </section>
        ))}
      </div>
    </main>
  );
}
