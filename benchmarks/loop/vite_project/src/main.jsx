import { createRoot } from 'react-dom/client';
import { Plans } from './Plans.jsx';
import './base.css';

createRoot(document.getElementById('root')).render(<Plans />);
